/* What the Site page says beside the words of the gauge. */

var SITE_WORDS = {
  zonesAndPassages: "Zones and passages",
  zones: "Zones",
  drawnAs: "Drawn as",
  drawings: { plan: "Floor plan", graph: "Graph" },
  notReported: "unknown",
  localTime: "Local time {time} ({place} time)",
  arrow: "An arrow shows the direction of people; where none crossed, that in which a passage was set up.",
  opens: "A zone opens its Live page.",
  inTheGraph: "Zones and passages",
  onThePlan: "Zones and passages on the floor plan",
  below: "{word} below {percent} %",
  from: "{word} from {percent} %",
  unknown: "{word}: no number, no capacity, or not to be trusted now",
  columns: {
    zone: "Zone",
    inside: "Inside",
    capacity: "Capacity",
    level: "Level",
    share: "Share",
    area: "Area",
    density: "Per 100 m²",
    freshness: "As of",
  },
};
