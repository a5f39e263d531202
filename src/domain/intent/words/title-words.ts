/** Words of titles: what is taken off their ends, and what names nothing. */
import { setOf } from './phrases.ts';

export const LEADING = setOf(
  'comes to for of on about that , : ; . - – — and then it is as in at by with from please me us some also just so !',
);
export const TRAILING = setOf(
  'for on at in of to with and from by the a an please , : ; - – — . ! ? instead also then or , somewhere is be but starting each every about around as during until it ( some than so',
);
export const PARTICLES = setOf('in on by around over');
export const REMARKS = setOf('is are would works work suits suit should will');
export const REMARKING = setOf(
  'is are would be works work suits suit should will do best better ideal fine good great ok okay preferred perfect please only me for us i think let say . ! , enough plenty',
);
export const DANGLING = setOf('on at for , in by from : but');
export const EMPTY = setOf(
  'calendar diary agenda recurring appointment same something things stuff time some slot it this that them block day week month hours minutes schedule plan my thing anything slots everything meeting? event task reminder entry sessions session day gap window opening spot take make do have get put go keep say let give',
);
export const LIGHT = setOf('do have spend take get work');
export const OBJECTS = setOf('the my our his her their it to this that everything someone somebody');
/** 'check whether the oven is off' */
export const TELLING = setOf('that if whether what who which how where why when');
export const SIGNS = setOf('+ > < = → * ~ ^ | due wk');
export const NAMING = setOf('as called titled named entitled');
export const PERSONAL = setOf('with to and from for by cc');
