// Starts the app on index.html, shows how far loading is, and draws the crash card. Everything else is Rust.
import { instance, onCrash, onProgress } from "./instance.js";

const root = document.getElementById("app");
const base = new URL("./", import.meta.url).href;

if (!["", "#", "#/"].includes(location.hash)) document.getElementById("first-words")?.remove();

onProgress((fraction) => {
  const bar = document.getElementById("loading");
  if (bar) bar.value = fraction;
});

onCrash((message) => showCrash(message));

// The embed builder shows real widgets; the element is loaded when that page asks for it.
root.addEventListener("logarium-define-widget", async () => (await import("./element.js")).defineWidget());

try {
  (await instance()).start(root, base);
} catch (error) {
  showFailure(error);
}

// The module could not be loaded: nothing of ours runs, so the sentence is all there is.
function showFailure(error) {
  const card = element("section", "crash");
  card.setAttribute("role", "alert");
  card.append(element("h1", "", "Logarium could not start"), element("p", "", `${error.message} ${error.hint ?? ""}`));
  card.append(element("p", "", "It needs a Chromium, Firefox or Safari of the last two years."));
  root.querySelector("main")?.replaceChildren(card);
}

// The instance is lost. The app left its last share link on the root, so that nothing but the moment is lost with it.
function showCrash(message) {
  const hash = root.dataset.link || location.hash || "#/";
  const link = new URL(hash, location.href).href;
  const card = element("section", "crash");
  card.setAttribute("role", "alert");
  const field = element("input");
  field.readOnly = true;
  field.value = link;
  field.setAttribute("aria-label", "Link to where you were");
  field.addEventListener("focus", () => field.select());
  const again = element("button", "button primary", "Start again from here");
  again.addEventListener("click", () => reload(hash));
  const home = element("button", "button", "Start at the first page");
  home.addEventListener("click", () => reload("#/"));
  const buttons = element("p", "button-row");
  buttons.append(again, home);
  card.append(
    element("h1", "", "Logarium stopped because of a bug of its own"),
    element("p", "", "Where you were is in this link. You can keep it, report it, or go on from it."),
    field,
    buttons,
    element("pre", "", message),
  );
  const main = element("main");
  main.append(card);
  // A new root: the lost instance must not touch what is shown now.
  const fresh = element("div");
  fresh.id = "app";
  fresh.append(main);
  document.getElementById("app").replaceWith(fresh);
  again.focus();
}

function reload(hash) {
  history.replaceState(null, "", hash);
  location.reload();
}

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
