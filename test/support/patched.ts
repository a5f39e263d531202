/** What a JSON Patch (RFC 6902) makes of a document, by an implementation that is not ours. */
import rfc6902 from 'rfc6902';
import type { PatchOperation } from '../../src/domain/record/json-patch.ts';

/** The new document; `doc` stays as it is. Throws where an operation does not apply. */
export const patched = <T>(doc: T, patch: readonly PatchOperation[]): T => {
  // The package cannot replace the whole of a document, so that the document becomes a member of another one.
  const holder = structuredClone({ doc });
  const operations = patch.map((operation) => ({ ...operation, path: `/doc${operation.path}` }));
  const failed = rfc6902.applyPatch(holder, operations as rfc6902.Operation[]).filter(Boolean);
  if (failed.length) throw new Error(`The patch does not apply: ${String(failed[0])}`);
  return holder.doc;
};
