// The program of forward.cpp and reversed.cpp, which hold all public headers: that it was linked is
// the test.

int main() {}
