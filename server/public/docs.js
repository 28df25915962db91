// Copy buttons and "Try it". The documentation works without this file.
for (const code of document.querySelectorAll('figure.code:not(.output)')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy the code');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('pre').innerText);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  code.append(button);
}

// Selects the same language in all groups of tabs, and remembers it for the next page.
const languageOf = (label) => label.textContent.trim();
const choose = (language) => {
  for (const label of document.querySelectorAll('.tab-names label'))
    if (languageOf(label) === language) label.querySelector('input').checked = true;
};
for (const label of document.querySelectorAll('.tab-names label'))
  label.addEventListener('change', () => {
    localStorage.setItem('docs-language', languageOf(label));
    choose(languageOf(label));
  });
choose(localStorage.getItem('docs-language'));

for (const details of document.querySelectorAll('.try')) {
  details.hidden = false;
  const form = details.querySelector('form');
  const answer = details.querySelector('figure');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    let path = form.dataset.path;
    for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
      if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (value !== '') query.set(name, value);
    }
    const body = form.elements.body?.value;
    const headers = { Authorization: `Bearer ${form.elements.token.value}` };
    if (body) headers['Content-Type'] = 'application/json';
    const address = query.size > 0 ? `${path}?${query}` : path;
    const response = await fetch(address, { method: form.dataset.method, headers, body: body || undefined });
    const text = await response.text();
    answer.hidden = false;
    answer.querySelector('pre').tabIndex = 0;
    answer.querySelector('figcaption').textContent = `Response ${response.status}`;
    answer.querySelector('code').textContent = pretty(text);
  });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// The navigation is longer than most screens, so it scrolls to the current page.
const side = document.querySelector('.side');
const current = side.querySelector('[aria-current]');
if (current) side.scrollTop = current.offsetTop - side.clientHeight / 2;

// "/" moves the focus to the search box.
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  document.querySelector('input[type="search"]').focus();
});
