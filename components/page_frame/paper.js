/* Calls begin() when the page is about to be printed, or is being printed already, and end() afterwards; returns what
 * stops that. */

function onPaper(begin, end) {
  const paper = window.matchMedia("print");
  const change = () => (paper.matches ? begin() : end());
  const listen = (verb) => {
    window[verb]("beforeprint", begin);
    window[verb]("afterprint", end);
    paper[verb]("change", change);
  };
  listen("addEventListener");
  if (paper.matches) {
    begin();
  }
  return () => listen("removeEventListener");
}
