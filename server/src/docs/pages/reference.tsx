import { codeFigure } from '../highlight.js';
import { curlOf } from '../reference/curl.js';
import type { Field } from '../reference/fields.js';
import type { EventShape, Group, Operation } from '../reference/operations.js';
import { CallList } from './home.js';
import { Inline } from './inline.js';
import { DocsPage, type Navigation } from './layout.js';
import { TryIt } from './try-it.js';

/** The overview of the reference: the rules common to all calls, and a list of the calls. */
export function ReferencePage(props: { navigation: Navigation; introduction: string; groups: Group[] }) {
  const { navigation, introduction, groups } = props;
  return (
    <DocsPage
      navigation={navigation}
      path="/docs/reference"
      title="API reference"
      description="Every call of the Feira Partner API, with parameters, bodies, responses and errors."
      markdown
    >
      <h1>API reference</h1>
      {introduction.split('\n\n').map((paragraph) => (
        <p key={paragraph}>
          <Inline text={paragraph} />
        </p>
      ))}
      <p>
        As a file: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
      </p>
      <h2 id="calls">Calls</h2>
      <CallList groups={groups} />
    </DocsPage>
  );
}

/** All calls of one group. If a token of the demo store is given, the page can send those under /api/v1. */
export function GroupPage(props: { navigation: Navigation; group: Group; token: string | undefined }) {
  const { navigation, group, token } = props;
  return (
    <DocsPage
      navigation={navigation}
      path={`/docs/reference/${group.slug}`}
      title={`${group.name} · API reference`}
      description={group.description}
      markdown
      wide
    >
      <h1>{group.name}</h1>
      <p class="lead">
        <Inline text={group.description} />
      </p>
      <ul class="in-group">
        {group.operations.map(({ id, summary }) => (
          <li key={id}>
            <a href={`#${id}`}>{summary}</a>
          </li>
        ))}
        {group.events.length > 0 && (
          <li>
            <a href="#events">Payload of each event</a>
          </li>
        )}
      </ul>
      {group.operations.map((operation) => (
        <Call key={operation.id} operation={operation} token={token} />
      ))}
      {group.events.length > 0 && (
        <section>
          <h2 id="events">Payload of each event</h2>
          <p>
            Deliveries are POST requests to your URL. <a href="/docs/guides/webhooks">The guide</a> describes
            headers, signatures and retries.
          </p>
          {group.events.map((event) => (
            <EventEntry key={event.name} event={event} />
          ))}
        </section>
      )}
    </DocsPage>
  );
}

function Call({ operation, token }: { operation: Operation; token: string | undefined }) {
  const { id, method, path, summary, description, parameters, body, answer, errors } = operation;
  return (
    <section class="call" aria-labelledby={id}>
      <div>
        <h2 id={id}>
          <a class="anchor" href={`#${id}`}>
            {summary}
          </a>
        </h2>
        <p class="address">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </p>
        {description.split('\n\n').map((paragraph) => (
          <p key={paragraph}>
            <Inline text={paragraph} />
          </p>
        ))}
        {parameters.length > 0 && (
          <Fields title="Parameters" fields={parameters.map((each) => ({ ...each, note: each.in }))} />
        )}
        {body && body.fields.length > 0 && (
          <Fields title={body.required ? 'Body' : 'Body (optional)'} fields={body.fields} />
        )}
        {answer && answer.fields.length > 0 && (
          <details>
            <summary>Response fields</summary>
            <Fields fields={answer.fields.map((field) => ({ ...field, required: false }))} />
          </details>
        )}
        <details>
          <summary>Errors</summary>
          <dl class="errors">
            {errors.map((error) => (
              <div key={error.status}>
                <dt>{error.status}</dt>
                <dd>
                  <Inline text={error.description} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
      <div class="examples">
        <Code title="Request" code={curlOf(operation)} language="sh" />
        {answer?.example !== undefined && (
          <Code
            title={`Response ${answer.status}`}
            code={JSON.stringify(answer.example, null, 2)}
            language="json"
          />
        )}
        {token !== undefined && path.startsWith('/api/v1/') && <TryIt operation={operation} token={token} />}
      </div>
    </section>
  );
}

function EventEntry({ event }: { event: EventShape }) {
  return (
    <section class="call">
      <div>
        <h3 id={event.name}>
          <a class="anchor" href={`#${event.name}`}>
            <code>{event.name}</code>
          </a>
        </h3>
        <p>{event.summary}.</p>
        <Fields fields={event.fields} />
      </div>
      <div class="examples">
        <Code title="Body" code={JSON.stringify(event.example, null, 2)} language="json" />
      </div>
    </section>
  );
}

function Fields({ title, fields }: { title?: string; fields: (Field & { note?: string })[] }) {
  return (
    <>
      {title && <h3>{title}</h3>}
      <dl class="fields">
        {fields.map(({ name, type, required, description, note }) => (
          <div key={`${note} ${name}`}>
            <dt>
              <code>{name}</code> <span>{note && note !== 'query' ? `${type}, ${note}` : type}</span>
              {required && <em>required</em>}
            </dt>
            <dd>
              <Inline text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Code({ title, code, language }: { title: string; code: string; language: string }) {
  // codeFigure() escapes the code.
  return <div dangerouslySetInnerHTML={{ __html: codeFigure(code, language, title) }} />;
}
