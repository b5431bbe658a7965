// The State page: while the slider moves, the number beside it says where it is.
document.addEventListener("input", (event) => {
  const shown = event.target.dataset?.shownIn && document.querySelector(event.target.dataset.shownIn);
  if (shown) shown.value = event.target.value;
});
