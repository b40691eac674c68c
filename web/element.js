// `<logarium-widget>`: the element itself, before and around the wasm that fills it.
// Stage, clock and controls are drawn by wasm; here are attributes, life cycle, messages and the crash card.
import { LogariumError, guard, instance, loadText, onCrash } from "./instance.js";
import { adoptStyles } from "./element_styles.js";
import { nearest, watchNear } from "./element_watch.js";

const base = new URL("./", import.meta.url).href;

const TEXTS = ["lesson", "lesson-act", "scenario", "link", "client", "compare", "controls", "lock", "panels", "theme"];
const NUMBERS = ["partitions", "seed", "t", "speed"];
const FLAGS = ["autoplay"];
const ATTRIBUTES = [...TEXTS, ...NUMBERS, ...FLAGS];

// Attributes that HTML gives every element; all others are ours or a slip of the pen.
const GLOBAL = /^(id|class|style|title|lang|dir|slot|part|exportparts|hidden|inert|is|tabindex|role|nonce|translate|draggable|accesskey|xmlns|item.*|aria-.*|data-.*|on.*|_.*)$/;

// Without a DOM (Node) the module still loads: there is a class, but no element to define.
const Base = globalThis.HTMLElement ?? class {};

class LogariumWidget extends Base {
  static observedAttributes = ATTRIBUTES;

  #parts = null;
  #handle = null;
  #mounting = null;
  #waiting = [];
  #problems = [];
  #link = null;
  #changed = false;
  #stopWatching = [];
  #ready = deferred();

  constructor() {
    super();
    for (const name of Object.keys(this)) this.#upgrade(name);
  }

  // Resolves with the element when its stage can be used.
  get ready() {
    return this.#ready.promise;
  }

  connectedCallback() {
    if (this.#stopWatching.length > 0) return;
    this.#build();
    this.#refuseUnknownAttributes();
    this.#stopWatching = [watchNear(this, () => this.#mount(this.#link)), onCrash(() => this.#crashed())];
  }

  // Moving an element in the document takes it out and puts it back: what is gone for good is decided later.
  async disconnectedCallback() {
    await null;
    await null;
    if (this.isConnected || this.#stopWatching.length === 0) return;
    this.#stopWatching.forEach((stop) => stop());
    this.#stopWatching = [];
    this.#unmount();
  }

  // Several attributes that change together are one change.
  attributeChangedCallback(name, before, after) {
    if (before === after || !this.#parts) return;
    if (!this.#changed) {
      this.#changed = true;
      queueMicrotask(() => this.#applyAttributes());
    }
  }

  play() {
    this.#whenReady((handle) => handle.play());
  }

  pause() {
    this.#whenReady((handle) => handle.pause());
  }

  // Seconds of simulated time, as in the attribute `t`.
  seek(seconds) {
    if (!(typeof seconds === "number" && seconds >= 0 && seconds < Infinity)) {
      throw new LogariumError("time.out_of_range", "A time is a number of seconds, 0 or more.", { path: "seconds" });
    }
    this.#whenReady((handle) => handle.seek(seconds));
  }

  reset() {
    this.#whenReady((handle) => handle.reset());
  }

  step() {
    return this.#now((handle) => handle.step());
  }

  stepBack() {
    return this.#now((handle) => handle.step_back());
  }

  act(command) {
    const text = JSON.stringify(command);
    return this.#now((handle) => handle.act(text ?? "null"));
  }

  snapshot() {
    return this.#now((handle) => handle.snapshot());
  }

  // A name that a child of the host page set before the class was known must reach the setter.
  #upgrade(name) {
    if (!(name in LogariumWidget.prototype)) return;
    const value = this[name];
    delete this[name];
    queueMicrotask(() => (this[name] = value));
  }

  #build() {
    if (this.#parts) return;
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const messages = shadow.appendChild(document.createElement("div"));
    messages.className = "widget-messages";
    messages.setAttribute("role", "alert");
    const progress = shadow.appendChild(document.createElement("div"));
    progress.className = "widget-progress";
    progress.hidden = true;
    const root = shadow.appendChild(document.createElement("div"));
    root.className = "widget";
    root.addEventListener("click", openOutside);
    const fallback = shadow.appendChild(document.createElement("slot"));
    this.#parts = { shadow, messages, progress, root, fallback };
  }

  async #mount(link = null) {
    if (this.#handle || this.#mounting) return;
    const mounting = (this.#mounting = {});
    const { shadow, root, progress } = this.#parts;
    progress.hidden = false;
    try {
      const [glue] = await Promise.all([instance(), adoptStyles(shadow, loadText)]);
      if (this.#mounting !== mounting) return;
      const host = {
        emit: (kind, detail) => this.#heard(mounting, kind, detail),
        saved: (text) => (this.#link = text),
      };
      root.replaceChildren();
      this.#handle = guard(() => glue.mount_widget(root, base, this.#attributes(link), host));
    } catch (error) {
      if (this.#mounting === mounting) this.#failed(error);
    }
  }

  #unmount() {
    const handle = this.#handle;
    this.#handle = null;
    this.#mounting = null;
    this.#waiting = [];
    if (handle) {
      this.#link = guard(() => handle.link()) ?? this.#link;
      guard(() => handle.free());
    }
    if (!this.#parts) return;
    this.#parts.root.replaceChildren();
    this.#parts.fallback.hidden = false;
    this.#parts.progress.hidden = true;
    this.#ready = deferred();
  }

  // What wasm tells. A page hears it after the stack has unwound, so that it may call back at once.
  #heard(mounting, kind, detail) {
    if (mounting !== this.#mounting) return;
    queueMicrotask(() => {
      if (mounting !== this.#mounting) return;
      if (kind === "ready") this.#becameReady();
      if (kind === "error") return this.#failed(new LogariumError(detail.code, detail.message, detail), detail.fatal);
      this.#dispatch(kind, detail);
    });
  }

  #becameReady() {
    const { progress, fallback } = this.#parts;
    progress.hidden = true;
    fallback.hidden = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#ready.isDone = true;
    this.#ready.resolve(this);
    waiting.forEach((call) => this.#tell(call));
  }

  #dispatch(kind, detail) {
    this.dispatchEvent(new CustomEvent(`logarium-${kind}`, { detail, bubbles: true, composed: true }));
  }

  // A problem is told in the widget, in the console and to the page; the teacher's text stays if nothing else can be shown.
  #failed(error, isFatal = true) {
    if (isFatal) this.#parts.progress.hidden = true;
    const { code = "logarium.failed", message, path, hint } = error;
    this.#problems.push(message);
    this.#showProblems();
    console.error(`<logarium-widget>: ${message}`, this);
    this.#dispatch("error", { code, message, path, hint });
  }

  #showProblems() {
    const lines = this.#problems.map((message) => {
      const line = document.createElement("p");
      line.className = "widget-message";
      line.textContent = message;
      return line;
    });
    this.#parts.messages.replaceChildren(...lines);
    // Messages must be readable even where the styles could not be loaded.
    if (lines.length > 0) adoptStyles(this.#parts.shadow, loadText).catch(() => {});
  }

  #refuseUnknownAttributes() {
    for (const name of this.getAttributeNames()) {
      if (ATTRIBUTES.includes(name) || GLOBAL.test(name)) continue;
      const likely = nearest(name, ATTRIBUTES);
      const hint = likely ? `Did you mean ${likely}?` : `Known are ${ATTRIBUTES.join(", ")}.`;
      const message = `There is no attribute "${name}". ${hint}`;
      this.#failed(new LogariumError("widget.unknown_attribute", message, { path: name, hint }), false);
    }
  }

  #attributes(link) {
    const values = {};
    for (const name of ATTRIBUTES) if (this.hasAttribute(name)) values[name] = this.getAttribute(name);
    // Going on after a crash, or after having been out of the document.
    if (link) values.resume = link;
    return values;
  }

  #applyAttributes() {
    this.#changed = false;
    this.#problems = [];
    this.#refuseUnknownAttributes();
    this.#showProblems();
    if (this.#handle) this.#tell((handle) => handle.set_attributes(this.#attributes(null)));
    else if (this.#mounting) this.#remount();
  }

  #remount(link = null) {
    this.#unmount();
    this.#mount(link);
  }

  #tell(call) {
    if (!this.#handle) return undefined;
    try {
      return guard(() => call(this.#handle));
    } catch (error) {
      // A trap shows its own card.
      if (error.code !== "logarium.crashed") this.#failed(error, false);
      return undefined;
    }
  }

  #whenReady(call) {
    if (this.#ready.isDone) {
      this.#tell(call);
      return;
    }
    this.#waiting.push(call);
    if (this.isConnected) this.#mount();
  }

  #now(call) {
    if (!this.#ready.isDone || !this.#handle) {
      throw new LogariumError("widget.not_ready", "The widget is not ready yet.", {
        hint: "Wait for the event logarium-ready, or for the promise in its property `ready`.",
      });
    }
    return guard(() => call(this.#handle));
  }

  // The memory of a lost instance went with it: there is nothing to free, only to draw the card.
  #crashed() {
    if (!this.#mounting) return;
    this.#handle = null;
    this.#mounting = null;
    this.#waiting = [];
    this.#ready = deferred();
    this.#parts.progress.hidden = true;
    this.#parts.root.replaceChildren(this.#crashCard());
    const message = "Logarium stopped because of a bug of its own.";
    this.#dispatch("error", { code: "logarium.crashed", message, path: undefined, hint: this.#link ?? undefined });
  }

  #crashCard() {
    const card = document.createElement("section");
    card.className = "widget-crash";
    card.setAttribute("role", "alert");
    const title = document.createElement("h2");
    title.textContent = "Logarium stopped";
    const text = document.createElement("p");
    text.textContent = "This is a bug of ours, not of your cluster. Nothing is lost: the link below holds where you were.";
    const link = document.createElement("input");
    link.readOnly = true;
    link.value = this.#link ?? "";
    link.hidden = !this.#link;
    link.setAttribute("aria-label", "Link to where you were");
    link.addEventListener("focus", () => link.select());
    const goOn = button("Start again from here", () => this.#remount(this.#link));
    goOn.hidden = !this.#link;
    card.append(title, text, link, goOn, button("Start over", () => this.#remount()));
    return card;
  }

  // The method `link()` of the contract; the attribute of the same name is `getAttribute("link")`.
  link() {
    if (!this.#ready.isDone || !this.#handle) return this.#link;
    return guard(() => this.#handle.link());
  }
}

function button(label, action) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = label;
  element.addEventListener("click", action);
  return element;
}

function deferred() {
  const result = { isDone: false };
  result.promise = new Promise((resolve) => (result.resolve = resolve));
  return result;
}

// Properties mirror attributes. `link` is a method instead.
function mirror(name, read, write) {
  const property = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  Object.defineProperty(LogariumWidget.prototype, property, {
    configurable: true,
    enumerable: true,
    get() {
      return read(this, name);
    },
    set(value) {
      write(this, name, value);
    },
  });
}

// Links inside the prose lead into the site of Logarium, not into the page that embeds it.
function openOutside(event) {
  const link = event.composedPath()[0]?.closest?.("a[href^='#/']");
  if (!link) return;
  event.preventDefault();
  window.open(new URL(link.getAttribute("href"), base), "_blank", "noopener");
}

const setText = (element, name, value) => (value === null || value === undefined ? element.removeAttribute(name) : element.setAttribute(name, value));

// Defines the element, once, where there is a DOM.
export function defineWidget() {
  if (!globalThis.customElements || customElements.get("logarium-widget")) return;
  for (const name of TEXTS.filter((name) => name !== "link")) mirror(name, (element) => element.getAttribute(name), setText);
  for (const name of NUMBERS) {
    mirror(name, (element) => (element.hasAttribute(name) ? Number(element.getAttribute(name)) : null), setText);
  }
  for (const name of FLAGS) {
    mirror(name, (element) => element.hasAttribute(name), (element, _, value) => element.toggleAttribute(name, Boolean(value)));
  }
  customElements.define("logarium-widget", LogariumWidget);
}
