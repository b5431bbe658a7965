// Pasted text: Ctrl+V anywhere on the page or typed into the panel, a preview by the server, then an upload like any other.
// Only the lines in sight are marked, so that a text of 20 MB scrolls like one of ten lines.
const LINE_PX = 20;
const PAD_PX = 8; // above the first line, as in paste.css
const SETTLE_MS = 700; // without a key before a preview is asked for
const FILE = "pasted.txt";
const COLOURS = 4;

const csrf = document.querySelector("meta[name=csrf-token]").content;
const zone = document.getElementById("drop-zone");
const panel = document.getElementById("paste");
const opener = document.getElementById("paste-open");
const text = document.getElementById("paste-text");
const gutter = document.getElementById("paste-gutter");
const picker = zone.querySelector('[data-pick="files"]');
const words = document.getElementById("paste-words");
const side = document.getElementById("paste-side");
const nameField = document.getElementById("paste-name");
const ticketField = document.getElementById("paste-ticket");
const sizeText = document.getElementById("paste-size");
const inspectButton = document.getElementById("paste-inspect");
const inspectWords = document.getElementById("paste-inspect-words");
const errorText = document.getElementById("paste-error");
const mostBytes = Number(panel.dataset.mostBytes);
const hint = side.innerHTML;

let told = null; // of the last preview: runs, lines, parts, records, name
let lineCount = 1;
let isNamed = false; // the user gave a name
let isTicketGiven = false;
let timer = 0;
let asking = null; // of the preview under way

const isOpen = () => !panel.hidden;
const sizeOf = () => new Blob([text.value]).size;
const grouped = (number) => number.toLocaleString("en-US");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

// ---- opening and filling

function open() {
  panel.hidden = false;
  opener.setAttribute("aria-expanded", "true");
  isNext(true);
  text.focus();
}

function close() {
  panel.hidden = true;
  opener.setAttribute("aria-expanded", "false");
  isNext(false);
  opener.focus();
}

// One filled button a page: files, or the text once something in it was recognised.
function isNext(isText) {
  picker.classList.toggle("btn-primary", !isText);
  inspectButton.classList.toggle("btn-primary", isText);
}

function fill(pasted) {
  open();
  text.value = pasted;
  text.setSelectionRange(0, 0);
  text.scrollTop = 0;
  changed(0);
}

function clear() {
  isNamed = isTicketGiven = false;
  nameField.value = ticketField.value = "";
  text.value = "";
  changed(0);
  text.focus();
}

// ---- the preview

function changed(delay = SETTLE_MS) {
  told = null;
  asking?.abort();
  clearTimeout(timer);
  lineCount = 1;
  for (let at = text.value.indexOf("\n"); at >= 0; at = text.value.indexOf("\n", at + 1)) lineCount += 1;
  if (text.value.endsWith("\n")) lineCount -= 1;
  const bytes = sizeOf();
  const isTooLarge = bytes > mostBytes;
  const isEmpty = !text.value.trim();
  showError(isTooLarge ? `The text is larger than ${mostBytes >> 20} MB. Save it as a file and drop the file: uploads have no such limit.` : "");
  inspectButton.disabled = isEmpty || isTooLarge;
  inspectWords.textContent = "Inspect";
  sizeText.textContent = isEmpty ? "" : `${counted(lineCount, "line", "lines")}, ${counted(bytes, "byte", "bytes")}`;
  if (isEmpty || isTooLarge) side.innerHTML = hint;
  else timer = setTimeout(preview, delay);
  draw();
}

async function preview() {
  const mine = (asking = new AbortController());
  side.innerHTML = '<p class="quiet mb-0">Reading the text…</p>';
  try {
    const response = await fetch(panel.dataset.preview, {
      method: "POST", body: text.value, signal: mine.signal,
      headers: { "Content-Type": "text/plain; charset=utf-8", "X-CSRFToken": csrf },
    });
    if (response.redirected) throw new Error("You are no longer signed in. Reload the page and sign in again.");
    const answer = await response.text();
    if (mine !== asking) return;
    if (!response.ok && !answer.includes("paste-refused")) throw new Error(`There is no preview: the server answered ${response.status}. Inspect the text without one, or try again.`);
    side.innerHTML = answer;
    show(document.getElementById("paste-told"));
  } catch (error) {
    if (mine !== asking || error.name === "AbortError") return;
    const lost = "There is no preview: the connection to the server was lost. Try again when it is back.";
    side.innerHTML = "";
    const sentence = document.createElement("p");
    sentence.className = "paste-refused mb-0";
    sentence.textContent = error instanceof TypeError ? lost : error.message;
    side.append(sentence);
  }
}

function show(document_) {
  told = document_ ? JSON.parse(document_.textContent) : null;
  if (!told) return;
  const size = `${counted(sizeOf(), "byte", "bytes")}`;
  sizeText.textContent = told.parts
    ? `${counted(told.parts, "part", "parts")}, ${told.is_counted ? "" : "at least "}${counted(told.records, "record", "records")}, ${size}`
    : `${counted(lineCount, "line", "lines")}, ${size}`;
  inspectWords.textContent = told.parts ? `Inspect ${counted(told.parts, "part", "parts")}` : side.querySelector("#paste-format") ? "Inspect with this format"
    : side.querySelector("#paste-columns") ? "Inspect with these columns" : "Inspect anyway";
  inspectButton.classList.toggle("btn-primary", Boolean(told.parts || side.querySelector("#paste-columns")));
  if (!isNamed && told.parts) nameField.value = suggestedName(told.name);
  if (!isTicketGiven) ticketField.value = told.ticket;
  draw();
}

function suggestedName(partition) {
  const now = new Date();
  const when = `${now.getDate()} ${now.toLocaleString("en-GB", { month: "short" })} ${now.toTimeString().slice(0, 5)}`;
  return partition ? `${partition}, pasted ${when}` : `Pasted ${when}`;
}

// ---- marking the lines in sight

function runOf(line) {
  const runs = told ? told.runs : [];
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (line < runs[middle][0]) high = middle - 1;
    else if (line > runs[middle][1]) low = middle + 1;
    else return runs[middle];
  }
  return null;
}

function draw() {
  const first = Math.max(0, Math.floor((text.scrollTop - PAD_PX) / LINE_PX));
  const last = Math.min(lineCount, first + Math.ceil(text.clientHeight / LINE_PX) + 1);
  const bands = [];
  const notes = [];
  for (let line = first + 1; text.value && line <= last; line += 1) {
    const top = `${PAD_PX + (line - 1) * LINE_PX - text.scrollTop}px`;
    const run = runOf(line);
    bands.push(placed("div", "paste-band", run, top));
    notes.push(numberOf(line, run, top));
    if (run?.[3]) notes.push(noteOf(run, top));
  }
  gutter.replaceChildren(...bands);
  words.replaceChildren(...notes);
  for (const layer of [gutter, words]) layer.style.right = `${text.offsetWidth - text.clientWidth}px`; // beside the scroll bar
}

const lookOf = (run) => (!run ? "" : run[2] ? `part-${((run[2] - 1) % COLOURS) + 1}` : "is-aside");

function placed(kind, name, run, top) {
  const element = document.createElement(kind);
  element.className = `${name} ${lookOf(run)}`;
  element.style.top = top;
  return element;
}

function numberOf(line, run, top) {
  const number = placed("div", "paste-number", run, top);
  const part = document.createElement("i");
  part.textContent = !run ? "" : run[2] || "–";
  number.append(grouped(line), part);
  return number;
}

function noteOf(run, top) {
  const note = placed("span", "paste-note", run, top);
  note.classList.toggle("is-damage", run[3] === "cannot be read");
  note.textContent = run[3];
  return note;
}

// ---- on its way

// Columns or a format that the preview asks for go with the text, which no other upload does.
async function inspectAs(fields) {
  const asked = new URLSearchParams(fields.map((field) => [field.name, field.value]));
  asked.set("name", nameField.value.trim() || suggestedName(told?.name));
  asked.set("ticket", ticketField.value.trim());
  asked.set("project", document.getElementById("upload-project")?.value || "");
  asked.set("continues", zone.dataset.continues || "");
  inspectButton.disabled = true;
  showError("");
  try {
    const response = await fetch(`${panel.dataset.inspect}?${asked}`, {
      method: "POST", body: text.value, headers: { "Content-Type": "text/plain; charset=utf-8", "X-CSRFToken": csrf },
    });
    const isJson = (response.headers.get("Content-Type") || "").includes("json");
    const answer = isJson ? await response.json() : {};
    if (answer.next) return location.assign(answer.next);
    showError(answer.error || "The server did not take the text. Reload the page and sign in again if asked.");
  } catch {
    showError("The connection to the server was lost. Try again when it is back.");
  }
  inspectButton.disabled = false;
}

function inspect() {
  if (inspectButton.disabled) return;
  const fields = [...side.querySelectorAll("#paste-columns [name]")];
  if (fields.some((field) => field.value)) return inspectAs(fields);
  const file = new File([text.value], FILE, { type: "text/plain" });
  clearTimeout(timer);
  asking?.abort();
  panel.hidden = true;
  take([file], nameField.value.trim() || suggestedName(told?.name));
}

function take(files, name = "") {
  zone.dispatchEvent(new CustomEvent("journalscope:take", { detail: { files, name, ticket: ticketField.value.trim() } }));
}

function showError(sentence) {
  errorText.textContent = sentence;
  errorText.hidden = !sentence;
}

// ---- wiring

const isTextField = (element) => element instanceof HTMLElement && (element.isContentEditable || element.matches("input, textarea, select"));

document.addEventListener("paste", (event) => {
  if (isTextField(event.target) || zone.hidden || !event.clipboardData) return;
  const pasted = event.clipboardData.getData("text/plain");
  const files = [...event.clipboardData.files];
  if (!pasted.trim() && !files.length) return;
  event.preventDefault();
  // programs that copy a table put a picture of it beside its text
  if (pasted.trim()) fill(pasted);
  else take(files);
});

opener.addEventListener("click", () => (isOpen() ? close() : open()));
document.getElementById("paste-close").addEventListener("click", close);
document.getElementById("paste-clear").addEventListener("click", clear);
inspectButton.addEventListener("click", inspect);
nameField.addEventListener("input", () => { isNamed = nameField.value !== ""; });
ticketField.addEventListener("input", () => { isTicketGiven = true; });
text.addEventListener("input", (event) => changed(event.inputType === "insertFromPaste" ? 0 : SETTLE_MS));
text.addEventListener("scroll", draw, { passive: true });
new ResizeObserver(draw).observe(text);
panel.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); inspect(); }
  if (event.key === "Escape") { event.preventDefault(); close(); }
});
