// Adds a button that copies the text of each element with data-copy. Without this file the text can be selected.
for (const text of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'second';
  button.textContent = text.dataset.copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text.textContent.trim());
    button.textContent = text.dataset.copied;
  });
  text.after(button);
}
