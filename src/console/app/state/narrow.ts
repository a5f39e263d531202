/** Whether the window is as narrow as that of a phone. The rules of the style sheets for phones begin at the same width. */
import { signal } from '@preact/signals';

const narrow = matchMedia('(max-width: 700px)');
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
