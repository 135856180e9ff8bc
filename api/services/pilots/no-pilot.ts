import { refuse } from '#domain/core/errors.ts'

export const noPilot = () => refuse('not_found', { detail: 'no such pilot' })
