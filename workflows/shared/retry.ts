/** Temporal's retry policy of a step: twice as long each time, between these milliseconds. */
export const retryOf = ({
  retryFirst,
  retryLongest,
}: {
  retryFirst: number
  retryLongest: number
}) => ({
  initialInterval: retryFirst,
  backoffCoefficient: 2,
  maximumInterval: retryLongest,
})
