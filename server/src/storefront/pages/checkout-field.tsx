import type { ComponentChildren, JSX } from 'preact';

type InputAttributes = JSX.IntrinsicElements['input'];

/** A field of a storefront form with its label, hint and error message. */
export function CheckoutField(props: {
  name: string;
  label: string;
  value: string;
  fault?: string | undefined;
  hint?: string;
  type?: 'text' | 'email' | 'tel';
  autocomplete?: string;
  inputmode?: 'numeric' | 'tel' | 'email';
  autocapitalize?: 'characters';
  maxLength?: number;
  class?: string;
  optional?: boolean;
  beside?: ComponentChildren;
}) {
  const { name, label, fault, hint, class: kind = '', optional, beside, type = 'text', ...rest } = props;
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  const attributes = {
    id: name,
    name,
    type,
    required: !optional,
    'aria-invalid': fault ? 'true' : undefined,
    'aria-describedby': described || undefined,
    ...rest,
  };
  return (
    <div class={`field ${kind}`}>
      <label for={name}>{label}</label>
      <div class="beside">
        <input {...(attributes as InputAttributes)} />
        {beside}
      </div>
      {hint && (
        <small id={`${name}-hint`} class="hint">
          {hint}
        </small>
      )}
      {fault && (
        <small id={`${name}-fault`} class="fault">
          {fault}
        </small>
      )}
    </div>
  );
}
