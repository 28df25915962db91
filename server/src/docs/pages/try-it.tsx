import type { Operation } from '../reference/operations.js';

/**
 * A form that sends a call of the reference to this server. It is hidden until a script shows it. Readers without
 * scripts can use the curl command.
 */
export function TryIt({ operation, token }: { operation: Operation; token: string }) {
  const { id, method, path, parameters, body } = operation;
  const values = parameters.filter((parameter) => parameter.in !== 'header');
  const field = (name: string) => `${id}-${name}`;
  return (
    <details class="try" hidden>
      <summary>Try it with the demo store</summary>
      <form data-method={method} data-path={path}>
        <label for={field('token')}>Access token</label>
        <input id={field('token')} name="token" value={token} autocomplete="off" spellcheck={false} />
        {values.map((parameter) => (
          <>
            <label for={field(parameter.name)}>{parameter.name}</label>
            <input
              id={field(parameter.name)}
              data-in={parameter.in}
              name={parameter.name}
              required={parameter.required}
              autocomplete="off"
            />
          </>
        ))}
        {body && (
          <>
            <label for={field('body')}>Body</label>
            <textarea id={field('body')} name="body" rows={8} spellcheck={false}>
              {JSON.stringify(body.example, null, 2)}
            </textarea>
          </>
        )}
        <button type="submit">Send</button>
      </form>
      <figure class="code" hidden>
        <figcaption aria-live="polite">Response</figcaption>
        <pre>
          <code />
        </pre>
      </figure>
    </details>
  );
}
