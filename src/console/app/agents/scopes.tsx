/** A scope in words, and its name in the API, which is what programs and errors call it. */
import { SCOPES, type Scope } from '../../../domain/access/caller.ts';

export const ScopeText = ({ scope }: { scope: Scope }) => (
  <span>
    {SCOPES[scope]}
    <small>
      <code>{scope}</code>
    </small>
  </span>
);
