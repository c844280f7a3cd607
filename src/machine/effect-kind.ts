// Does an effect only look, or does it change the outside world? Every effect says so.

export type EffectKind = 'change' | 'read'
