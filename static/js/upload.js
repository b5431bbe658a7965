// Drop zone and resumable uploads. The server hands out one address per file; tus-js-client sends the bytes there.
const PARALLEL = 3;
const CHUNK_BYTES = 256 * 1024 * 1024; // a smaller file goes in one request
const RETRY_DELAYS_MS = [0, 1000, 3000, 5000, 10000, 20000, 30000];
const LINES_SHOWN = 200;

const csrf = document.querySelector("meta[name=csrf-token]").content;
const zone = document.getElementById("drop-zone");
const panel = document.getElementById("uploads");
const list = document.getElementById("upload-list");
const totalText = document.getElementById("uploads-total");
const totalBar = document.getElementById("uploads-progress");
const pauseAll = document.getElementById("pause-all");
const errorText = document.getElementById("upload-error");

let jobs = [];
let isPaused = false;
let nextPage = null;
let speed = { at: 0, bytes: 0, perSecond: 0 };

function sizeInWords(bytes) {
  for (const [unitBytes, unit] of [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (bytes >= unitBytes) return `${(bytes / unitBytes).toFixed(1)} ${unit}`;
  }
  return `${bytes} bytes`;
}

function timeInWords(seconds) {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

// ---- collecting what was dropped or picked

function readEntries(reader) {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function walk(entry, files) {
  if (entry.isFile) {
    files.push({ name: entry.fullPath.replace(/^\/+/, ""), file: await fileOf(entry) });
    return;
  }
  const reader = entry.createReader();
  // a reader hands out a folder in portions of a hundred
  for (let portion = await readEntries(reader); portion.length; portion = await readEntries(reader)) {
    for (const child of portion) await walk(child, files);
  }
}

async function dropped(transfer) {
  // entries have to be taken before the first await: the list is empty afterwards
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return picked(transfer.files);
  const files = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

function picked(fileList) {
  return [...fileList].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
}

// ---- starting

// Files that continue an upload which stopped: of a folder chosen again, those that had arrived are left out.
async function takeUnfinished(files) {
  const rows = [...document.querySelectorAll("[data-unfinished]")];
  let left = files;
  const resumed = [];
  for (const address of new Set(rows.map((row) => row.dataset.files))) {
    const journal = await (await fetch(address)).json();
    const missing = new Map(journal.missing.map((file) => [`${file.size} ${file.name}`, file.url]));
    const arrived = new Set(journal.arrived.map((file) => `${file.size} ${file.name}`));
    const keyOf = (item) => `${item.file.size} ${item.name}`;
    const found = left.filter((item) => missing.has(keyOf(item)));
    if (!found.length) continue;
    for (const item of found) resumed.push({ ...item, url: missing.get(keyOf(item)), next: journal.next });
    left = left.filter((item) => !missing.has(keyOf(item)) && !arrived.has(keyOf(item)));
    for (const row of rows) if (row.dataset.files === address && found.some((item) => item.name === row.dataset.name)) row.remove();
  }
  return { resumed, left };
}

async function announce(files, name, ticket) {
  const body = JSON.stringify({
    name,
    ticket,
    project: document.getElementById("upload-project")?.value || "",
    continues: zone.dataset.continues || "",
    files: files.map(({ name, file }) => ({ name, size: file.size })),
  });
  const response = await fetch(zone.dataset.create, {
    method: "POST", body, headers: { "Content-Type": "application/json", "X-CSRFToken": csrf },
  });
  const isJson = (response.headers.get("Content-Type") || "").includes("json");
  const answer = isJson ? await response.json() : {};
  if (!response.ok || !answer.uploads) {
    throw new Error(answer.error || "The server did not take the list of files. Reload the page and sign in again if asked.");
  }
  const urls = new Map(answer.uploads.map((upload) => [upload.name, upload.url]));
  return files.map((item) => ({ ...item, url: urls.get(item.name), next: answer.next }));
}

async function begin(files, name = "", ticket = "") {
  if (!files.length) return showError("Your selection contains no files. An empty folder cannot be inspected.");
  errorText.hidden = true;
  try {
    const { resumed, left } = await takeUnfinished(files);
    const announced = left.length ? await announce(left, name, ticket) : [];
    add([...resumed, ...announced]);
  } catch (error) {
    showError(error.message);
  }
}

function add(items) {
  nextPage = items[0].next;
  panel.hidden = false;
  zone.hidden = true;
  for (const item of items) {
    const job = { ...item, sent: 0, state: "waiting", size: item.file.size };
    job.line = jobs.length < LINES_SHOWN ? lineOf(job) : null;
    jobs.push(job);
  }
  if (jobs.length > LINES_SHOWN) totalText.title = `The first ${LINES_SHOWN} files are listed.`;
  pump();
}

// ---- sending

function pump() {
  if (isPaused) return;
  let running = jobs.filter((job) => job.state === "running").length;
  for (const job of jobs) {
    if (running >= PARALLEL) break;
    if (job.state !== "waiting") continue;
    send(job);
    running += 1;
  }
  showTotal();
  if (jobs.length && jobs.every((job) => job.state === "done")) {
    totalText.textContent = "All files have arrived.";
    window.location.assign(nextPage);
  }
}

function send(job) {
  job.state = "running";
  if (!job.upload) job.upload = uploadOf(job);
  job.upload.start();
  show(job);
}

function uploadOf(job) {
  return new tus.Upload(job.file, {
    uploadUrl: job.url,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false, // the server lists what stopped half-way
    headers: { "X-CSRFToken": csrf },
    onProgress: (sent) => { job.sent = sent; show(job); showTotal(); },
    onSuccess: () => { job.state = "done"; job.sent = job.size; show(job); pump(); },
    onShouldRetry: (error) => {
      const status = error.originalResponse ? error.originalResponse.getStatus() : 0;
      return status < 400 || status >= 500 || [409, 423, 460].includes(status);
    },
    onError: (error) => fail(job, error),
  });
}

function fail(job, error) {
  job.state = "failed";
  const response = error.originalResponse;
  const words = response ? response.getBody() : "";
  const isSentence = words && words.length < 400 && !words.includes("<");
  const lost = "The connection to the server was lost. The received part is stored. Press Continue when it is available again.";
  job.error = isSentence ? words : response ? `The server answered ${response.getStatus()}. Press Continue to try again.` : lost;
  show(job);
  pump();
}

function toggle(job) {
  if (job.state === "running" || job.state === "waiting") {
    if (job.state === "running") job.upload.abort();
    job.state = "paused";
  } else {
    job.state = "waiting";
    job.error = "";
  }
  show(job);
  pump();
}

// ---- showing

function lineOf(job) {
  const line = document.createElement("div");
  line.className = "upload-line";
  const name = document.createElement("span");
  name.className = "upload-name";
  const strong = document.createElement("strong");
  strong.textContent = job.name;
  const state = document.createElement("span");
  state.className = "quiet ms-2";
  name.append(strong, state);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-sm";
  button.addEventListener("click", () => toggle(job));
  const bar = document.createElement("progress");
  bar.max = Math.max(1, job.size);
  bar.setAttribute("aria-label", job.name);
  line.append(name, button, bar);
  list.append(line);
  return { line, state, button, bar, shownAt: 0 };
}

function show(job) {
  if (!job.line) return;
  const now = performance.now();
  if (job.state === "running" && job.sent > 0 && now - job.line.shownAt < 100) return;
  job.line.shownAt = now;
  const share = `${sizeInWords(job.sent)} of ${sizeInWords(job.size)}`;
  const words = { waiting: "waiting", running: share, paused: `paused at ${share}`, done: "all here", failed: job.error };
  job.line.state.textContent = words[job.state];
  job.line.bar.value = job.size ? job.sent : job.state === "done" ? 1 : 0;
  job.line.button.textContent = ["running", "waiting"].includes(job.state) ? "Pause" : "Continue";
  job.line.button.setAttribute("aria-label", `${job.line.button.textContent}: ${job.name}`);
  job.line.button.hidden = job.state === "done";
}

function showTotal() {
  const size = jobs.reduce((sum, job) => sum + job.size, 0);
  const sent = jobs.reduce((sum, job) => sum + job.sent, 0);
  const done = jobs.filter((job) => job.state === "done").length;
  const now = performance.now();
  if (now - speed.at > 1000) {
    const moved = speed.at ? (sent - speed.bytes) / ((now - speed.at) / 1000) : 0;
    speed = { at: now, bytes: sent, perSecond: speed.perSecond ? 0.7 * speed.perSecond + 0.3 * moved : moved };
  }
  totalBar.hidden = jobs.length < 2;
  pauseAll.hidden = jobs.length < 2; // one file has a button of its own
  totalBar.value = size ? sent / size : 0;
  const isMoving = jobs.some((job) => job.state === "running") && speed.perSecond > 0 && sent < size;
  const pace = isMoving ? ` · ${sizeInWords(speed.perSecond)}/s, ${timeInWords((size - sent) / speed.perSecond)} left` : "";
  totalText.textContent = `${done} of ${jobs.length} file${jobs.length === 1 ? "" : "s"} · ${sizeInWords(sent)} of ${sizeInWords(size)}${pace}`;
}

function showError(sentence) {
  panel.hidden = false;
  errorText.hidden = false;
  errorText.textContent = sentence;
}

// ---- wiring

for (const kind of ["files", "folder"]) {
  const input = document.getElementById(`pick-${kind}`);
  for (const button of document.querySelectorAll(`[data-pick=${kind}]`)) button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => { begin(picked(input.files)); input.value = ""; });
}

// the whole page takes a drop, so that a near miss does not open the file instead
window.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("is-over"); });
window.addEventListener("dragleave", (event) => { if (!event.relatedTarget) zone.classList.remove("is-over"); });
window.addEventListener("drop", async (event) => {
  event.preventDefault();
  zone.classList.remove("is-over");
  try {
    begin(await dropped(event.dataTransfer));
  } catch {
    showError("The files could not be read. Select them with the button instead.");
  }
});

// what was pasted (paste.js) goes the same way
zone.addEventListener("journalscope:take", (event) => begin(picked(event.detail.files), event.detail.name, event.detail.ticket));

pauseAll.addEventListener("click", () => {
  isPaused = !isPaused;
  pauseAll.textContent = isPaused ? "Continue" : "Pause";
  for (const job of jobs) {
    if (isPaused && job.state === "running") { job.upload.abort(); job.state = "paused"; }
    else if (!isPaused && ["paused", "failed"].includes(job.state)) job.state = "waiting";
    show(job);
  }
  pump();
  showTotal();
});

window.addEventListener("beforeunload", (event) => {
  if (jobs.some((job) => job.state === "running")) event.preventDefault();
});
