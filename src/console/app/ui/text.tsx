/** Text of others: shown as text, isolated in its direction, and cut where it would cover its surroundings. */
import type { ComponentChildren } from 'preact';

export const Foreign = ({ children, lines }: { children: string; lines?: number }) => (
  <bdi
    class="foreign"
    style={lines ? { '-webkit-line-clamp': String(lines) } : undefined}
    data-cut={lines ? '' : undefined}
  >
    {children}
  </bdi>
);

/** A link of an event. Only web addresses become links. */
export const ForeignLink = ({ href }: { href: string }) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} target="_blank" rel="noreferrer noopener">
      <Foreign lines={1}>{href}</Foreign>
    </a>
  ) : (
    <Foreign>{href}</Foreign>
  );

export const Hidden = ({ children }: { children: ComponentChildren }) => <span class="hidden">{children}</span>;
