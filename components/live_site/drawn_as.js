/* How the place is drawn, as its floor plan or as a graph: chosen beside the drawing, where there is a plan. */

var DRAWINGS = ["plan", "graph"];

function drawnAsInto(parent, graph) {
  var group = element("div", "drawn-as", parent);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", SITE_WORDS.drawnAs);
  var choose = null;
  DRAWINGS.forEach(function (name) {
    var button = element("button", "", group);
    button.type = "button";
    button.textContent = SITE_WORDS.drawings[name];
    button.setAttribute("aria-pressed", String(name === graph.drawn_as));
    button.setAttribute("data-again", name);
    button.addEventListener("click", function () {
      if (name !== graph.drawn_as) {
        choose("drawing", name);
      }
    });
  });
  return {
    draw: function (link, options) {
      choose = options.tell;
    },
  };
}
