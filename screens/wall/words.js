/* The words of a screen in four languages, as one would write them on a sign. */

var LANGUAGES = ["en", "de", "fr", "it"];
/* With which numbers and times are written; English ones with a clock of 24 hours. */
var LOCALES = { en: "en-GB", de: "de", fr: "fr", it: "it" };

/* What only a screen says: English, German, French, Italian. */
var SCREEN_WORDS = {
  levelFree: ["Free", "Frei", "Libre", "Libero"],
  levelFilling: ["Filling", "Füllt sich", "Se remplit", "Si riempie"],
  levelFull: ["Full", "Voll", "Complet", "Pieno"],
  levelUnknown: ["Unknown", "Unbekannt", "Inconnu", "Non noto"],
  lightFree: ["Please enter", "Bitte eintreten", "Entrez", "Prego, entrare"],
  lightFilling: ["Almost full", "Fast voll", "Presque complet", "Quasi pieno"],
  lightFull: ["Please wait", "Bitte warten", "Veuillez patienter", "Attendere prego"],
  lightUnknown: ["No current count", "Keine aktuelle Zahl", "Pas de donnée actuelle", "Nessun dato attuale"],
  allSites: ["All sites", "Alle Standorte", "Tous les sites", "Tutte le sedi"],
  today: ["today", "heute", "aujourd’hui", "oggi"],
  typicalDay: ["typical {weekday}", "üblicher {weekday}", "{weekday} habituel", "{weekday}, di solito"],
  noTypical: [
    "Not enough past days for a typical one",
    "Noch zu wenige Tage für einen Vergleich",
    "Pas encore assez de jours pour comparer",
    "Ancora pochi giorni per un confronto",
  ],
  more: [
    "{n} more than usual at this time",
    "{n} mehr als um diese Zeit üblich",
    "{n} de plus que d’habitude à cette heure",
    "{n} in più del solito a quest’ora",
  ],
  fewer: [
    "{n} fewer than usual at this time",
    "{n} weniger als um diese Zeit üblich",
    "{n} de moins que d’habitude à cette heure",
    "{n} in meno del solito a quest’ora",
  ],
  asUsual: [
    "As many as usual at this time",
    "So viele wie um diese Zeit üblich",
    "Autant que d’habitude à cette heure",
    "Come al solito a quest’ora",
  ],
  curveAsOf: [
    "Curve as of {time}",
    "Kurve vom Stand {time}",
    "Courbe actualisée à {time}",
    "Curva aggiornata alle {time}",
  ],
  curveMissing: [
    "The curve could not be loaded",
    "Die Kurve konnte nicht geladen werden",
    "La courbe n’a pas pu être chargée",
    "La curva non può essere caricata",
  ],
  curveLoading: [
    "The curve is being loaded",
    "Die Kurve wird geladen",
    "Chargement de la courbe",
    "Caricamento della curva",
  ],
  failed: [
    "This view cannot be shown",
    "Diese Ansicht kann nicht gezeigt werden",
    "Cette vue ne peut pas être affichée",
    "Questa vista non può essere mostrata",
  ],
  notInUse: [
    "This screen is not in use",
    "Dieser Bildschirm ist nicht in Betrieb",
    "Cet écran n’est pas utilisé",
    "Questo schermo non è in uso",
  ],
};

/* In the place of the gauge's own words: German, French, Italian. */
var GAUGE_WORDS = {
  inside: ["anwesend", "présents", "presenti"],
  lastKnown: ["zuletzt bekannt", "dernière valeur", "ultimo valore"],
  lastTime: ["zuletzt {text}", "dernièrement {text}", "ultimo dato {text}"],
  share: ["{percent} % von {capacity}", "{percent} % de {capacity}", "{percent} % di {capacity}"],
  ofCapacity: ["von {capacity}", "sur {capacity}", "su {capacity}"],
  noCapacity: ["Kapazität nicht bekannt", "Capacité inconnue", "Capienza non nota"],
  placeLeft: ["{n} Platz frei", "{n} place libre", "{n} posto libero"],
  placesLeft: ["{n} Plätze frei", "{n} places libres", "{n} posti liberi"],
  over: ["{n} über der Kapazität", "{n} au-delà de la capacité", "{n} oltre la capienza"],
  insideNow: ["{n} anwesend", "{n} présents", "{n} presenti"],
  flows: [
    "Heute {entrances} hinein · {exits} hinaus",
    "Aujourd’hui {entrances} entrées · {exits} sorties",
    "Oggi {entrances} entrate · {exits} uscite",
  ],
  flowsSince: [
    "Heute {entrances} hinein · {exits} hinaus, seit {time}",
    "Aujourd’hui {entrances} entrées · {exits} sorties, depuis {time}",
    "Oggi {entrances} entrate · {exits} uscite, dalle {time}",
  ],
  measured: ["Gemessen {time} · {ago}", "Mesuré à {time} · {ago}", "Misurato alle {time} · {ago}"],
  localTime: ["Zeit: {zone}", "Heure : {zone}", "Ora: {zone}"],
  justNow: ["gerade eben", "à l’instant", "adesso"],
  ago: ["vor {span}", "il y a {span}", "{span} fa"],
  lastHours: ["Letzte 2 Stunden, Zeit: {zone}", "2 dernières heures, heure : {zone}", "Ultime 2 ore, ora: {zone}"],
  noCounts: [
    "In den letzten zwei Stunden wurde nichts gezählt.",
    "Aucun comptage depuis deux heures.",
    "Nessun conteggio nelle ultime due ore.",
  ],
  capacity: ["Kapazität", "capacité", "capienza"],
  live: ["Live", "En direct", "In diretta"],
  quiet: ["Ruhig", "Calme", "Tranquillo"],
  late: ["Verspätet", "En retard", "In ritardo"],
  connecting: ["Verbindet", "Connexion", "Connessione"],
  waiting: ["Wartet auf die erste Zahl", "En attente du premier comptage", "In attesa del primo dato"],
  polling: ["Wird abgefragt", "Par interrogation", "A interrogazione"],
  reconnecting: ["Verbindet neu", "Reconnexion", "Riconnessione"],
  offline: ["Offline", "Hors ligne", "Offline"],
  refused: ["Abgelehnt", "Refusé", "Rifiutato"],
  cutOff: ["Keine Verbindung", "Pas de connexion", "Nessuna connessione"],
  unreachable: ["Server nicht erreichbar", "Serveur injoignable", "Server non raggiungibile"],
  since: ["seit {time}", "depuis {time}", "dalle {time}"],
  unchanged: ["unverändert seit {time}", "inchangé depuis {time}", "invariato dalle {time}"],
  confirmed: ["bestätigt {ago}", "confirmé {ago}", "confermato {ago}"],
  unconfirmed: ["seit {span} nicht bestätigt", "non confirmé depuis {span}", "non confermato da {span}"],
  requestId: ["Anfrage {id}", "requête {id}", "richiesta {id}"],
  again: ["neuer Versuch", "nouvel essai", "nuovo tentativo"],
  againIn: ["neuer Versuch in {span}", "nouvel essai dans {span}", "nuovo tentativo tra {span}"],
};

/* Makes WORDS those of `language`; an unknown one stays English. */
function speak(language) {
  var place = Math.max(0, LANGUAGES.indexOf(language));
  Object.keys(SCREEN_WORDS).forEach(function (name) {
    WORDS[name] = SCREEN_WORDS[name][place];
  });
  if (place > 0) {
    speaksAsTheService = false;
    Object.keys(GAUGE_WORDS).forEach(function (name) {
      WORDS[name] = GAUGE_WORDS[name][place - 1];
    });
  }
  return LANGUAGES[place];
}

/* The words of the levels, or of the light: its own first. */
function levelWords(prefix, own) {
  var words = {};
  ["free", "filling", "full", "unknown"].forEach(function (name) {
    words[name] = (own && own[name]) || WORDS[prefix + name.charAt(0).toUpperCase() + name.slice(1)];
  });
  return words;
}
