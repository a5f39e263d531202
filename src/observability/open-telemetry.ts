/** Chooses the telemetry. Without a collector it does nothing, and the OpenTelemetry packages are not even loaded. */
import type { Logger } from './log.ts';
import { NO_TELEMETRY, type Telemetry } from './telemetry.ts';

type Collector = {
  /** The address of OTLP over HTTP without the path; unset switches tracing off. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_TRACES_SAMPLER_ARG: number;
};

export const openTelemetry = async (
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share }: Collector,
  log: Logger,
): Promise<Telemetry> =>
  endpoint === undefined ? NO_TELEMETRY : (await import('./tracing.ts')).createTracing(endpoint, share, log);
