// Nothing of its own: headers that several targets read are precompiled with it.
