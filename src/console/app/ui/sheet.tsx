/** A part of a screen with a heading. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props = { title: string; about?: ComponentChildren; children: ComponentChildren };

export const Sheet = ({ title, about, children }: Props) => {
  const id = useId();
  return (
    <section class="sheet" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {about && <p class="quiet">{about}</p>}
      {children}
    </section>
  );
};
