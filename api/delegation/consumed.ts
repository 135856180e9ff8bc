import { refuse } from '#domain/core/errors.ts'

/** 409 of a grant that was used before; `first` is what its agent reads of the result. */
export const grantConsumed = (
  grant_id: unknown,
  first: { first_result: object | null; receipt?: object },
) =>
  refuse('grant_consumed', {
    detail: 'the grant was used before',
    money_moved: 'no',
    extra: { grant_id, ...first },
  })
