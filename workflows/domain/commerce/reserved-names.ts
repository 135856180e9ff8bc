/** Items whose names begin so hold statements of this service; no caller names one. */
export const SERVICE_PREFIX = 'service:'
/** The item of a proof that holds an analysis of this service. */
export const ANALYSIS_ITEM = `${SERVICE_PREFIX}analysis.json`

/** Whether a name is, or reads like, one of this service: in any case and width, and with characters that are not seen. */
export const isReservedName = (name: string): boolean =>
  name
    .normalize('NFKC')
    .replace(/[\s\p{C}\p{M}]/gu, '')
    .toLowerCase()
    .startsWith(SERVICE_PREFIX)
