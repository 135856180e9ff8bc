/** What a service is to its callers. */
export const serviceKinds = ['rail', 'work_order', 'free_tool', 'candidate'] as const
export type ServiceKind = (typeof serviceKinds)[number]
