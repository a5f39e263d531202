/** Small words: what joins the parts of a request, and what is said for courtesy. */
import { setOf } from '../words.ts';

export const GLUE = setOf(
  "a an the my our your his her their its this that these those it them they some any one ones to for on at in of with and or but so as by from into onto until till about around during then also too again instead rather than is are be will would should can could must may have has had do does did i we you me us there here not no now just only please as well it's that's i'd i'll we'll i'm s t re ve ll d",
);

export const COURTEOUS = setOf(
  'please thanks thank you ok okay hey hi hello well oh um yes yeah no sure great good fine sorry wait actually maybe perhaps possible possibly ideally preferably really quite pretty kindly cheers ta dear mate sir much obliged if though although though anyway afterwards',
);
