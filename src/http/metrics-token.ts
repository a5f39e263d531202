/** Answers GET /metrics without an account, for a scraper that has METRICS_TOKEN. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Metrics } from '../observability/metrics.ts';
import { bearer } from './mount.ts';

const digest = (text: string): Buffer => Buffer.from(hash('sha256', text), 'hex');

/** A caller without the token goes on to the route. */
export const metricsByToken =
  (metrics: Metrics, token: string | undefined): RequestHandler =>
  async (req, res, next) => {
    const given = bearer(req.headers.authorization);
    if (token === undefined || given === null || !timingSafeEqual(digest(given), digest(token))) return next();
    const text = await metrics.render();
    res.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
  };
