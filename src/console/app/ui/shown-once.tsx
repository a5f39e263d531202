/** A secret that is shown once, to be copied. */
import type { ComponentChildren } from 'preact';
import { Copied } from './copied.tsx';

type Props = {
  name: string;
  /** What it is called on the button that copies it. */
  what: string;
  text: string;
  onCopied: () => void;
  about: ComponentChildren;
  children?: ComponentChildren;
};

export const ShownOnce = ({ name, what, text, onCopied, about, children }: Props) => (
  <div class="key-once" role="region" aria-label={name}>
    <p>
      <strong>Copy {what} now.</strong> It is shown only once. {about}
    </p>
    <Copied text={text} name={what} />
    {children}
    <div class="buttons">
      <button type="button" onClick={onCopied}>
        I have copied it
      </button>
    </div>
  </div>
);
