/** A third of the rounds of the corpus. */
import { testRounds } from '../../support/corpus-rounds.ts';

testRounds(2);
