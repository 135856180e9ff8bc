/** The version of this code, as package.json has it: what samples and replay packages were made by. */
export const CODE_VERSION = '0.1.0'
