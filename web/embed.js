// Starts embed.html: one widget whose attributes are the page's query, which tells its height and events to the host page.
// What the widget shows is not known here.
import { LogariumError } from "./logarium.js";

// Names that could do anything but be an attribute of ours; the widget itself names those that it does not know.
const FORBIDDEN = /^(on.*|style|class|id|slot|part|is|hidden|inert)$|[^a-z-]/;

const TOLD = ["ready", "step", "predict", "complete", "error"];

const main = document.querySelector("main");
const widget = document.createElement("logarium-widget");
const fallback = document.createElement("p");
fallback.textContent = "This is an interactive stage by Logarium. It needs WebAssembly.";
widget.append(fallback);

const query = new URLSearchParams(location.search);
// The page alone, as a check of a new host, shows the first lesson.
if ([...query].length === 0) query.set("lesson", "one-key-two-libraries");

for (const [name, value] of query) {
  if (!FORBIDDEN.test(name)) widget.setAttribute(name, value);
}

// A host page that knows the widget's height can give the frame that height.
function tell(type, detail) {
  if (parent !== window) parent.postMessage({ type, ...detail }, "*");
}

for (const kind of TOLD) {
  widget.addEventListener(`logarium-${kind}`, ({ type, detail }) => tell(type, { detail }));
}

for (const kind of ["ready", "error"]) {
  widget.addEventListener(`logarium-${kind}`, () => document.getElementById("loading")?.remove());
}

let toldHeight = 0;
new ResizeObserver(() => {
  const height = Math.ceil(main.getBoundingClientRect().bottom + scrollY);
  if (height === toldHeight) return;
  toldHeight = height;
  tell("logarium-resize", { height });
}).observe(main);

// The element is defined where there is a DOM at all; an old browser without it keeps the sentence above.
if (!customElements.get("logarium-widget")) throw new LogariumError("widget.undefined", "The widget could not be defined.");
main.append(widget);
