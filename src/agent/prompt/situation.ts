/** Reads what a user's plans are placed and checked by: settings, tempo, and what was learned from decisions. */
import type { Db } from '../../db/database.ts';
import { learnedWeight } from '../../domain/plan/tempo-learning.ts';
import type { TempoService } from '../../tempo/service.ts';
import { loadProfile } from '../../user/profile.ts';
import type { Situation } from '../propose/proposal.ts';

/** In a write, pass its transaction. */
export type SituationOf = (db: Db, user_id: string) => Promise<Situation>;

export const createSituationOf =
  (tempo: TempoService): SituationOf =>
  async (db, user_id) => {
    const profile = await tempo.profileOf(user_id, db);
    const { settings } = (await loadProfile(db, user_id)).profile;
    const weight: Situation['weight'] = ({ trace, action_type }) =>
      profile.use_learned
        ? learnedWeight(profile.learned, { tag: trace?.tempo_tag, action_type }, profile.timezone)
        : undefined;
    return { profile, settings, weight };
  };
