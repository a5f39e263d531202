/** The messages at the edge of the page, with undo. */
import { dismiss, messages, undoMessage } from '../state/messages.ts';
import { Foreign } from './text.tsx';

export const Messages = () => (
  <div class="messages" role="status" aria-live="polite">
    {messages.value.map(({ id, text, bad, undo, offer }) => (
      <p key={id} data-bad={bad ? '' : undefined}>
        <Foreign lines={4}>{text}</Foreign>
        {offer && (
          <button type="button" onClick={offer.run}>
            {offer.name}
          </button>
        )}
        {undo && (
          <button type="button" onClick={() => undoMessage({ id, undo })}>
            Undo
          </button>
        )}
        <button type="button" class="plain" aria-label="Close message" onClick={() => dismiss(id)}>
          ×
        </button>
      </p>
    ))}
  </div>
);
