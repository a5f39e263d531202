/** Sends traces to a collector with OpenTelemetry (OTLP over HTTP). It is loaded only where one is configured. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import packageJson from '../../package.json' with { type: 'json' };
import type { Logger } from './log.ts';
import type { Statement, Telemetry } from './telemetry.ts';

/** At most this many spans wait for the next batch. Later ones are dropped, to bound memory. */
const MAX_WAITING_SPANS = 4_096;
const EVERY_MS = 1_000;
const PATIENCE_MS = 2_000;

/** mount() sets these for the span of a request, such as `GET /memory/pull`. */
type Served = ServerResponse & { locals?: { request_id?: string; route?: string } };

const WRITES = /\b(?:insert into|update(?! of\b)|delete from)\s+"?([a-z_]+)"?/i;
const READS = /\bfrom\s+"?([a-z_]+)"?/i;

/** Names a span so that statements can be grouped, such as `SELECT traces` or `WITH ledger`; a whole statement may be long. */
const nameOf = (text: string): string => {
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
  const [, table] = WRITES.exec(text) ?? READS.exec(text) ?? [];
  return table ? `${verb} ${table}` : verb;
};

const fail = (span: Span): Span => span.setStatus({ code: SpanStatusCode.ERROR });

/** A call of fetch, as undici's diagnostics channel describes it. */
type Call = { method: string; origin: string | URL; path: string; addHeader: (name: string, value: string) => void };
/** `response` has arrived with its headers. */
type CallEvent = { request: Call; response: { statusCode: number } };

/** @param share of the traces that begin here, from 0 to 1. A trace that a caller began is kept as the caller decided. */
export const createTracing = (endpoint: string, share: number, log: Logger): Telemetry => {
  setGlobalErrorHandler((error) => log.warn({ err: error }, 'traces could not be sent'));
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: PATIENCE_MS,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': packageJson.name, 'service.version': packageJson.version }))
      .merge(detectResources({ detectors: [envDetector] })), // This reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING_SPANS, scheduledDelayMillis: EVERY_MS }),
    ],
  });
  const tracer = provider.getTracer(packageJson.name, packageJson.version);
  const propagator = new W3CTraceContextPropagator();
  const underWay = new AsyncLocalStorage<Context>();

  const begin = (name: string, options: SpanOptions, parent: Context = underWay.getStore() ?? ROOT_CONTEXT) => {
    const span = tracer.startSpan(name, options, parent);
    return { span, context: trace.setSpan(parent, span) };
  };

  const request: Telemetry['request'] = (req, res, next) => {
    const attributes = {
      'http.request.method': req.method ?? '',
      'network.protocol.version': req.httpVersion,
      'almanac.request_id': String((res as Served).locals?.request_id),
    };
    const caller = propagator.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter);
    const { span, context } = begin(req.method ?? 'HTTP', { kind: SpanKind.SERVER, attributes }, caller);
    res.once('close', () => {
      const route = (res as Served).locals?.route;
      if (route) span.updateName(route).setAttribute('http.route', route.slice(route.indexOf(' ') + 1));
      span.setAttribute('http.response.status_code', res.statusCode);
      if (res.statusCode >= 500) fail(span);
      if (!res.writableFinished) span.addEvent('the client went away');
      span.end();
    });
    underWay.run(context, next);
  };

  /** A statement is a span only in a request or other traced work. Polls of the executor and probes are not worth a trace. */
  const query = ({ text, milliseconds, failed }: Statement): void => {
    if (!underWay.getStore()) return;
    const now = performance.timeOrigin + performance.now();
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': nameOf(text) };
    const { span } = begin(nameOf(text), { kind: SpanKind.CLIENT, attributes, startTime: now - milliseconds });
    if (failed) fail(span);
    span.end(now);
  };

  /**
   * Traces the calls of models, the only ones that this service fetches. The span leaves out the query, since the address may
   * hold a secret there.
   */
  const calls = new WeakMap<Call, Span>();
  const on = (what: string, handle: (event: CallEvent) => void): void =>
    subscribe(`undici:request:${what}`, (event) => handle(event as CallEvent));
  on('create', ({ request: call }) => {
    const { host } = new URL(call.origin);
    const attributes = {
      'http.request.method': call.method,
      'server.address': host,
      'url.path': call.path.split('?')[0] ?? '',
    };
    const { span, context } = begin(`${call.method} ${host}`, { kind: SpanKind.CLIENT, attributes });
    propagator.inject(context, call, { set: (carrier, name, value) => carrier.addHeader(name, value) });
    calls.set(call, span);
  });
  on('headers', ({ request: call, response }) => {
    const span = calls.get(call)?.setAttribute('http.response.status_code', response.statusCode);
    if (span && response.statusCode >= 400) fail(span);
  });
  on('trailers', ({ request: call }) => calls.get(call)?.end());
  on('error', ({ request: call }) => {
    const span = calls.get(call);
    if (span) fail(span).end();
  });

  return {
    request,
    query,
    span: async (name, attributes, work) => {
      const { span, context } = begin(name, { attributes });
      try {
        return await underWay.run(context, work);
      } catch (error) {
        fail(span);
        throw error;
      } finally {
        span.end();
      }
    },
    stop: () => provider.shutdown().catch(() => undefined),
  };
};
