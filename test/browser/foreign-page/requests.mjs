/**
 * What a page learns of the gateway's answer, never of one that the browser kept; `refused`: the browser keeps it from
 * the page.
 */
export async function ask({ url, method = 'GET', headers, body, shows = [] }) {
  try {
    const answer = await fetch(url, { method, headers, body, cache: 'no-store' });
    const text = await answer.text();
    const seen = shows.map((name) => answer.headers.get(name) ?? `no ${name}`);
    return [answer.status, ...seen, /<Code>(\w+)</.exec(text)?.[1] ?? text].join(' ').trim();
  } catch {
    return 'refused';
  }
}

/** Sends what a signer of forms gave, with a file behind. */
export function sendForm({ url, fields, file, shows }) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new File([file], 'at the sea.jpg', { type: 'image/jpeg' }));
  return ask({ url, method: 'POST', body, shows });
}

/** Puts a form of plain HTML into the page, whose file a person would choose. */
export function showForm({ url, fields }) {
  const form = document.createElement('form');
  Object.assign(form, { action: url, method: 'post', enctype: 'multipart/form-data' });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  }
  form.append(
    Object.assign(document.createElement('input'), { type: 'file', name: 'file' }),
    Object.assign(document.createElement('input'), { type: 'submit', name: 'x-ignore-submit', value: 'Upload' }),
  );
  document.body.replaceChildren(form);
}
