// Nothing of its own: the headers that tests read are precompiled with it.
