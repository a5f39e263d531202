/**
 * The messages, with undo. They have a place of their own: what the navigation leaves below it, the lower edge of the screen in a low
 * window, and above the navigation on a phone. They never lie over anything.
 */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { dismiss, messages, redoMessage, undoMessage } from '../state/messages.ts';
import { Foreign } from './text.tsx';
import { cut } from './words.ts';

/** What a screen says beside the messages as long as it is shown. */
const notice = signal<ComponentType | undefined>(undefined);
export const useNotice = (Notice: ComponentType): void =>
  useEffect(() => {
    notice.value = Notice;
    return () => (notice.value = undefined);
  }, []);

/** What is at the lower edge of the window leaves them their place. */
const useHeight = () => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const watching = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--messages', `${element.current?.offsetHeight ?? 0}px`),
    );
    watching.observe(element.current as HTMLElement);
    return () => watching.disconnect();
  }, []);
  return element;
};

/** A complaint that is longer names titles by their beginnings, so that its reason is in view. */
const LONG = 120;
const MOST_OF_TITLE = 40;
const complaintText = (text: string): string =>
  text.length <= LONG ? text : text.replace(/“([^“”]+)”/g, (_, title: string) => `“${cut(title, MOST_OF_TITLE)}”`);

export const Messages = () => {
  const element = useHeight();
  const { value: Notice } = notice;
  return (
    <div class="messages" ref={element} role="status" aria-live="polite">
      {messages.value.toReversed().map(({ id, text, bad, undo, redo, offer }) => (
        <p key={id} data-bad={bad ? '' : undefined}>
          {bad ? (
            <bdi class="foreign" tabIndex={0}>
              {complaintText(text)}
            </bdi>
          ) : (
            <Foreign lines={8}>{text}</Foreign>
          )}
          {offer && (
            <button type="button" onClick={offer.run}>
              {offer.name}
            </button>
          )}
          {undo && (
            <button type="button" onClick={() => void undoMessage({ id, undo })}>
              Undo
            </button>
          )}
          {redo && (
            <button type="button" onClick={() => void redoMessage({ id, redo })}>
              Redo
            </button>
          )}
          <button type="button" class="plain" aria-label="Close message" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
      {Notice && <Notice />}
    </div>
  );
};
