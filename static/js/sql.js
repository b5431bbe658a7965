// SQL: Ctrl+Enter runs the query; a mistake with a place has the cursor there.
(() => {
  const query = document.getElementById("sql-query");
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    query.form.requestSubmit();
  });
  const { line, column } = query.dataset;
  if (!line) return;
  const before = query.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  query.focus({ preventScroll: true });
  query.setSelectionRange(before + Number(column) - 1, before + Number(column) - 1);
})();
