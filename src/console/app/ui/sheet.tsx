/** The parts of a screen, each with a heading. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { isRead, type Resource } from '../state/resource.ts';

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

/** They appear together as soon as what they show is read, so that none moves another one. */
export const Sheets = ({ of, children }: { of: readonly Resource<unknown>[]; children: ComponentChildren }) =>
  of.every(isRead) ? <div class="sheets">{children}</div> : <p class="empty">Loading…</p>;
