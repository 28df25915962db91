/** Renders text with `code` and **bold**, the markup used in the descriptions of the API. */
export function Inline({ text }: { text: string }) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return (
    <>
      {parts.map((part) => {
        if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
        return part.startsWith('**') ? <strong>{part.slice(2, -2)}</strong> : part;
      })}
    </>
  );
}
