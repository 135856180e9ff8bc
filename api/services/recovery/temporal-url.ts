import type { Config } from '../../../activities/config/config.ts'

export type TemporalUi = Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>

/** Where Temporal shows a workflow; null where its pages are not configured. */
export const temporalUrl = (
  { TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: TemporalUi,
  workflowId: string,
): string | null => (ui === '' ? null : `${ui}/namespaces/${namespace}/workflows/${workflowId}`)
