// Starts embed.html, the page for hosts that allow only frames. It does not read the page's query yet.
import init, { start } from "./logarium.js";

await init();
await start(document.getElementById("app"));
