/* The last two hours of a large gauge as a picture. */

Object.assign(WORDS, { curveOfHours: "People inside, last 2 hours" });

/* Below the curve that `figure` has. */
function trendPictureInto(figure, item) {
  var last = null;
  var bar = svgPictureBar(figure, function () {
    return last && trendPicture(item, last.link, last.options);
  });
  bar.name(pictureTitle(item, WORDS.curveOfHours));
  return {
    draw: function (link, options) {
      var feed = link.feeds[item.feed];
      bar.node.hidden = !feed || !feed.points.length; // words stand in its place then
      last = { link: link, options: options };
    },
  };
}

/* As svgPictureBar takes it. */
function trendPicture(item, link, options) {
  var head = pictureHead(item, WORDS.curveOfHours, link, options);
  var view = viewOf(item, link, options);
  if (!head || !view.feed) {
    return null;
  }
  var day = usualDay(item, view, options);
  var frame = trendFrame(view, day);
  return Object.assign(head, {
    words: head.words.concat(joined(trendAbout(view, day, frame)) || []),
    width: PICTURED.width,
    draw: function (stage) {
      var hero = element("section", "hero", stage);
      markUp(hero, view); // a number that is not of now has a grey line
      var svg = element("figure", "trend", hero).appendChild(svgElement("svg", {}));
      drawTrend(svg, view.feed.points, Object.assign(frame, PICTURED, { marks: thresholdMarks(item, view) }));
      return svg;
    },
    below: function () {
      return [];
    },
  });
}
