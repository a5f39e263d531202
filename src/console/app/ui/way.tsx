/** A link to another screen, which opens without loading the page again. */
import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { go, linkTo } from '../state/address.ts';

type Props = Omit<AnchorHTMLAttributes, 'href' | 'onClick' | 'role'> & {
  to: string;
  with: Record<string, string>;
  children: ComponentChildren;
};

export const Way = ({ to, with: parameters, children, ...rest }: Props) => (
  <a
    {...rest}
    href={linkTo(to, parameters)}
    onClick={(event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(to, parameters);
    }}
  >
    {children}
  </a>
);
