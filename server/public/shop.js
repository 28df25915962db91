// Everything in a shop works without this file.

// After Back, the browser may show a stored page with an outdated number of units. The cookie has the current number.
addEventListener('pageshow', () => {
  const count = document.querySelector('.cart .count');
  const units = Number(/(?:^|; )feira_units=(\d+)/.exec(document.cookie)?.[1] ?? Number.NaN);
  if (!count || Number.isNaN(units)) return;
  const [shown, spoken] = count.children;
  if (shown.textContent === String(units)) return;
  shown.textContent = units;
  spoken.textContent = ` (${units} ${units === 1 ? count.dataset.one : count.dataset.many})`;
  count.classList.toggle('none', units === 0);
});

// Adds a button that copies the text of each element with data-copy. Without the button the text can be selected.
for (const text of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = text.dataset.copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text.textContent.trim());
    button.textContent = text.dataset.copied;
  });
  text.after(button);
}
