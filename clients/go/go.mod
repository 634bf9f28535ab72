module example.com/latchkey

go 1.21
