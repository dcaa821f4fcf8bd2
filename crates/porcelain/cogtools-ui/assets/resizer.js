// The border between the conversation and its work: by mouse, by touch and by keyboard.

const MIN = 280;
const MAX = 640;
const STEP = 16;
const START = 416;
const KEY = "cogtools-side";

const side = document.getElementById("side");
const work = document.getElementById("work");

function clamp(width) {
  return Math.min(MAX, Math.max(MIN, Math.round(width)));
}

function make() {
  const made = document.createElement("div");
  made.className = "resizer";
  made.id = "resizer";
  made.tabIndex = 0;
  made.setAttribute("role", "separator");
  made.setAttribute("aria-orientation", "vertical");
  made.setAttribute("aria-label", "Width of the work of the turn");
  made.setAttribute("aria-controls", "side");
  made.setAttribute("aria-valuemin", MIN);
  made.setAttribute("aria-valuemax", MAX);
  return made;
}

if (side && work) {
  const resizer = make();
  let width = START;
  const resize = (wanted) => {
    width = clamp(wanted);
    work.style.setProperty("--side", `${width}px`);
    resizer.setAttribute("aria-valuenow", width);
    resizer.setAttribute("aria-valuetext", `${width} pixels`);
    sessionStorage.setItem(KEY, String(width));
  };
  side.before(resizer);
  resize(Number(sessionStorage.getItem(KEY)) || START);

  const keys = {
    ArrowLeft: () => width + STEP,
    ArrowRight: () => width - STEP,
    Home: () => MIN,
    End: () => MAX,
    Enter: () => START,
  };
  resizer.addEventListener("keydown", (event) => {
    const wanted = keys[event.key];
    if (wanted && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      resize(wanted());
    }
  });
  resizer.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    resizer.focus();
    resizer.setPointerCapture(event.pointerId);
  });
  resizer.addEventListener("pointermove", (event) => {
    if (resizer.hasPointerCapture(event.pointerId)) {
      resize(side.getBoundingClientRect().right - event.clientX - resizer.offsetWidth / 2);
    }
  });
}
