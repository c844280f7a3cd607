// Shown before everything else a simulated machine is the subject of: a rehearsal must not be taken for the deed.

const BANNER = 'SIMULATED: this is about a simulated Windows Server, not about this machine.'

export const bannerLines = (simulated: boolean): string[] => (simulated ? [BANNER] : [])
