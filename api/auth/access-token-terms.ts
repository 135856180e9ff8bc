/** What every access token of an issuer elsewhere has to meet, for `jwtVerify` (RFC 9068 §4, RFC 8725 §3.1 and §3.2). */
export const accessTokenTerms = {
  // An ID token of the same audience is no access token.
  typ: 'at+jwt',
  // No shared secret, and nothing unsigned.
  algorithms: [
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'Ed25519',
  ],
  clockTolerance: 5,
  requiredClaims: ['sub', 'exp'],
}
