/** A dialog over the page. The browser keeps the focus inside of it, and gives it back when it is closed. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

type Props = { name: string; onClose: () => void; class?: string; children: ComponentChildren };

export const Dialog = ({ name, onClose, class: kind, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Before the next key arrives, which would else go to the page.
  useLayoutEffect(() => {
    const { current: element } = dialog;
    element?.showModal();
    // One that is only taken out of the page gives nothing back.
    return () => {
      isGone.current = true;
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-label={name}
      onCancel={(event) => {
        // The browser tells only later that it has closed a dialog. A key that comes before that would find it open.
        event.preventDefault();
        onClose();
      }}
      onClose={() => isGone.current || onClose()}
      onClick={(event) => {
        // A click beside it hits the dialog itself, as its backdrop.
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="inside">{children}</div>
    </dialog>
  );
};
