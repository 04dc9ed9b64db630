/* The gauges of a page, the day below a large one, and the ranking of the zones where one is asked for. */

var OPENED_CARD = "headroom-opened-card"; // in the tab's own storage: the page, and the address of the card
var RETURN_WITHIN = 20; // seconds after a page was loaded, after which it is not scrolled any more

function arrangePage(root, options) {
  headingInto(root, options);
  var gauges = arrangeGauges(root, options);
  root.onclick = rememberCard;
  returnToCard(gauges);
  var days = gauges
    .filter(function (drawing) {
      return drawing.item.tells_today;
    })
    .map(function (drawing) {
      var facts = drawing.node.querySelector(".facts");
      var today = todayFactsInto(facts, facts.querySelector(".freshness"), drawing.item);
      leadsInto(facts, drawing.item.leads);
      var hours = trendPictureInto(drawing.node.querySelector(".trend"), drawing.item);
      return [today, hours, dayFigureInto(drawing.node, drawing.item)];
    });
  var cards = gauges.filter(function (drawing) {
    return !isLarge(drawing);
  });
  var titles = cards.map(function (drawing) {
    return drawing.item.title;
  });
  cards.forEach(function (drawing, position) {
    distinctTitleInto(drawing.node.querySelector(".title"), titles, position);
  });
  if (cards.length > 1 && cards.length < gauges.length) {
    days.push(orderInto(cards[0].node.parentNode, cards)); // a list of sites has an order of its own
  }
  var isRanked = options.ranked && options.ranked.length > 1;
  var spoken = gauges.filter(isLarge).map(function (drawing) {
    return speechInto(drawing.node, drawing.item);
  });
  return gauges.concat.apply(gauges, days).concat(spoken, isRanked ? zoneRanking(root, options.ranked) : []);
}

/* Beside a fact stands what leads to more of it; where there is no such fact now, in its place. */
function leadsInto(facts, leads) {
  leads.forEach(function (lead) {
    var fact = facts.querySelector("." + lead.at);
    var told = fact.parentNode;
    if (told === facts) {
      told = facts.insertBefore(element("div", "told"), fact);
      told.appendChild(fact);
    }
    var link = element("a", "lead", told);
    link.href = lead.href;
    link.textContent = lead.label;
  });
}

function isLarge(drawing) {
  return drawing.item.kind === "hero";
}

/* What the gauges are of; who sees the page reads it off the choices above and off the cards. */
function headingInto(root, options) {
  var large = options.items.find(function (item) {
    return item.kind === "hero";
  });
  element("h2", "what", root).textContent = large ? large.title : WORDS.sites;
}

/* Opening a card loads another page, and Back loads this one anew, at its top: it leads to the card again. */
function rememberCard(event) {
  var card = event.target.closest("a.card");
  if (card) {
    keepText(OPENED_CARD, JSON.stringify([location.href, card.href]));
  }
}

function returnToCard(gauges) {
  var loaded = performance.getEntriesByType("navigation")[0];
  var opened = keptText(OPENED_CARD);
  if (!opened || !loaded || loaded.type !== "back_forward" || monotonic() > RETURN_WITHIN) {
    return;
  }
  gauges.forEach(function (drawing) {
    if (JSON.stringify([location.href, drawing.node.href]) === opened) {
      keepText(OPENED_CARD, "");
      drawing.node.scrollIntoView({ block: "center" });
      drawing.node.focus({ preventScroll: true });
    }
  });
}
